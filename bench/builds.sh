#!/bin/bash
# Builds the embedded target in three ways for the suite build: plain, without the
# compiler's optimisations, and guided by a profile. The profile is of the plain one under
# a mix of scenarios, which is how any server can be trained in a build container: the
# load generator is one static binary, and fails when a single request does.
#
#   bench/builds.sh DIR        into DIR/plain, DIR/unoptimised, DIR/guided, DIR/target.pgo
set -eu

dir=$(mkdir -p "$1" && cd "$1" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build() {
    local name=$1
    shift
    echo "go build $* -o $dir/$name ./cmd/scalbench"
    CGO_ENABLED=0 go build -trimpath "$@" -o "$dir/$name" ./cmd/scalbench
}
build plain -pgo=off
build unoptimised -pgo=off -gcflags='all=-N -l'

# A target ends with SIGTERM, and its profile is whole then.
log=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$log"' EXIT
start() { # NAME ARGUMENTS...: a target that says where it listens
    local name=$1
    shift
    "$dir/plain" target "$@" >"$log/$name" </dev/null &
    until grep -q '^listening ' "$log/$name"; do kill -0 $!; sleep 0.05; done
    url=$(sed -n 's/^listening //p' "$log/$name")
}
start upstream
start server --upstream "$url" --cpu-profile "$dir/target.pgo"
server=$!
"$dir/plain" load --scenario respond,static-small,proxy,cache-hit -n "${COUNT:-200000}" --attach "$url" --quiet
"$dir/plain" load --scenario static-1m -n "$((${COUNT:-200000} / 20))" --attach "$url" --quiet
kill "$server"
wait "$server" || true
build guided -pgo="$dir/target.pgo"
