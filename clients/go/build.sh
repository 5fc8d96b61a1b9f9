#!/bin/sh
# Builds the program of the sources and their modules, at the versions of go.mod and go.sum: build.sh GO SOURCES BUILD.
set -eu
go=$1 sources=$2 built=$3
cd "$sources"
# Pure Go, so that no compiler of C is needed; and no other Go is fetched than the one that is here.
export CGO_ENABLED=0 GOTOOLCHAIN=local GOWORK=off
"$go" build -mod=readonly -trimpath -buildvcs=false -o "$built/kurabe-go" .
