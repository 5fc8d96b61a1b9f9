#!/bin/sh
# Installs Valkey's server: setup.sh CACHE_FOLDER. Debian 13 has it; Debian 12 only in its backports, which few machines
# read. There the package comes by lists of its own in the cache folder, from the mirror and with the keys that apt uses
# anyway. Nothing in /etc/apt is changed. Installing takes root's rights, or sudo without a password.
set -eu

cache=${1:?"setup.sh: give Kurabe's cache folder as the argument"}
export DEBIAN_FRONTEND=noninteractive

if ! command -v apt-get >/dev/null; then
  echo "valkey: there is no apt-get here; install it by hand: https://valkey.io/topics/installation/" >&2
  exit 1
fi

as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -n env DEBIAN_FRONTEND=noninteractive "$@"; fi
}

as_root apt-get update -qq
if [ -n "$(apt-cache madison valkey-server)" ]; then
  as_root apt-get install -y -qq --no-install-recommends valkey-server
  exit
fi

codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
# Mirror and component of the system's own release, as apt knows them from whatever form of sources it was given.
mirrors=$(apt-get indextargets --format '$(CODENAME) $(REPO_URI) $(COMPONENT)' 'Created-By: Packages' |
  awk -v codename="$codename" '$1 == codename { print $2, $3 }' | sort -u)
if [ -z "$mirrors" ]; then
  echo "valkey: apt knows neither valkey-server nor a mirror of '$codename'; install it by hand:" \
    "https://valkey.io/topics/installation/" >&2
  exit 1
fi

mkdir -p "$cache/valkey"
work=$(mktemp -d "$cache/valkey/setup.XXXXXX")
# What apt writes here belongs to root.
trap 'as_root rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
mkdir -p "$work/parts" "$work/lists/partial" "$work/cache/archives/partial"

# The machine's own sources stay in, so that what Valkey needs comes as fresh as anything else on the machine.
for source in /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
  if [ -f "$source" ]; then cp "$source" "$work/parts/"; fi
done
echo "$mirrors" | while read -r mirror component; do
  echo "deb $mirror $codename-backports $component"
done >"$work/parts/kurabe-backports.list"

# apt's own user cannot reach a cache folder in a closed home; signatures are checked all the same.
privately() {
  as_root apt-get -o Dir::Etc::sourceparts="$work/parts" -o Dir::State::lists="$work/lists" \
    -o Dir::Cache="$work/cache" -o APT::Sandbox::User=root "$@"
}
privately update -qq
privately install -y -qq --no-install-recommends --no-remove valkey-server
