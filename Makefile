# `make run` and `make test` do everything on a fresh Debian machine with Go.
.PHONY: deps build run sweep sweep-sliced builds sweep-builds test test-servers race fuzz lint simulate experiments bench bench-quick bench-peers

# All is built as the binary is, without C; only the race detector needs it.
export CGO_ENABLED = 0
# Checks do without the profile for the compiler (cmd/scalbench/default.pgo): with
# it everything would be compiled a second time.
# A program with the race detector sleeps for a second before it ends; tests start many.
test race: export GORACE = atexit_sleep_ms=10
lint test test-servers race fuzz: export GOFLAGS := $(shell go env GOFLAGS) -pgo=off

# What tests and comparisons use, each with what is skipped without it.
# Installed as root; anybody else is told the line.
deps: ; @.ci/deps

# One static binary. Its version is that of the git tag or commit, which Go
# records by itself.
build: ; go build -trimpath -o scalbench ./cmd/scalbench

run: build ; ./scalbench load --scenario respond -c 64 -z 5s

# The sandbox gate of nginx, quickly: some four minutes from a build to a table, which is an
# estimate and so ends with code 4. As root nginx runs as nobody, who has to reach the
# wrapper. `make sweep SWEEP='--preset smoke'` shows the way in seconds. docs/SWEEPS.md
SANDBOX_USER = $(shell [ "$$(id -u)" = 0 ] || echo --param user=$$(id -un))
sweep: SANDBOX_SUITE = nginx-sandbox-quick
# The same rows in turns of 50 ms: a gate of record in minutes.
sweep-sliced: SANDBOX_SUITE = nginx-sandbox-sliced
sweep sweep-sliced: deps build
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && chmod 755 "$$dir" && \
	go build -trimpath -o "$$dir/scalbench-sandbox" ./bench/sandbox && \
	{ PATH="$$dir:$$PATH:/usr/sbin" ./scalbench sweep $(SANDBOX_SUITE) $(SANDBOX_USER) --name nginx-sandbox-$$(date +%Y%m%d-%H%M%S) $(SWEEP) || [ $$? = 4 ]; }

# Three builds of the embedded target in ./build, one of them trained under load, and a
# quick look at what they make of it.
builds: ; bench/builds.sh build
sweep-builds: build builds
	./scalbench sweep build --preset quick --name build-$$(date +%Y%m%d-%H%M%S) $(SWEEP) || [ $$? = 4 ]

# One package at a time: several measure, and say so when another has their CPU.
# What is first run without any test is only compiled, all packages side by side.
# The race detector looks at the packages that share anything between goroutines, not at
# arithmetic, and not at whole programs again, which `make race` does.
RACED = $$(go list ./... | grep -v -E '/(cmd/scalbench|bench|bench/.*|gate|ab|internal/stat)$$')
test: deps
	go test -run '^$$' ./... >/dev/null
	go test -p 1 ./...
	CGO_ENABLED=1 go test -race -run '^$$' $(RACED) >/dev/null
	CGO_ENABLED=1 go test -race -p 1 $(RACED)

# The matrix of protocols on every server there is, of which `make test` asks Go and nginx;
# and the suites of real servers by the preset quick, each with its verdict. Ten minutes.
test-servers:
	@.ci/deps servers
	PATH="$$PATH:/usr/sbin" SCALBENCH_SERVERS=all go test -count=1 -timeout 15m -run '^Test(Matrix|Suites|IncidentHostWithMoods)$$' -v ./bench/integration

race: ; CGO_ENABLED=1 go test -race ./...

# Every fuzz test there is, one after the other: `make fuzz FUZZTIME=5m`.
FUZZTIME = 30s
fuzz:
	@grep -rHo --include='*_test.go' '^func Fuzz[A-Za-z0-9_]*' . | sed 's,/[^/]*:func , ,' | sort | while read -r dir name; do \
		go test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) "$$dir" </dev/null || exit 1; done

lint:
	@unformatted="$$(gofmt -l .)"; test -z "$$unformatted" || { echo "gofmt -w $$unformatted"; exit 1; }
	go vet ./...
	go tool staticcheck ./...
	go mod tidy -diff

# How often the verdicts of ab are wrong, and when they fall: the tables of
# docs/METHOD.md, section 18, ten minutes. Tests draw a fortieth of it.
simulate: ; SCALBENCH_SIMULATIONS=40 GOFLAGS=-pgo=off go test -count=1 -timeout 60m -run 'FalseAlarms|Power|Forecast|MaxLoss|RareSlices|Constructions|CPUAsControl' -v ./ab

# What is found of losses that are known, on real servers, of which nothing else may
# disturb: the tables of docs/METHOD.md, section 18, some hours for all.
# `make experiments EXPERIMENTS='-only losses -losses 2 -tries 20'`
experiments: build ; go run ./bench/planted $(EXPERIMENTS)

# Load generators side by side, those that are installed, on the servers that are:
# all of it, more than an hour; or what keeps its connections in clear text,
# without waiting for ports. BENCH='-servers caddy' is HTTP/3 alone; `go run
# ./bench/peers -h` lists peers, servers and courses.
bench: build ; go run ./bench/peers $(BENCH)
bench-quick: build ; go run ./bench/peers -rounds 3 -courses respond,static-small,static-1m $(BENCH)

# Installs the generators to compare with, and Caddy: by apt as root, go and cargo
# into ~/.cache/scalbench/peers.
bench-peers: ; go run ./bench/peers -install
