# Two commands: `make run` builds and answers the main question; `make test` installs what the tests need and passes
# them all. `make help` lists the rest.

SHELL := /bin/bash
export CARGO ?= cargo
# As `kurabe` takes it: root's home is closed to the users of services.
CACHE := $(or $(XDG_CACHE_HOME),$(if $(filter 0,$(shell id -u)),/var/cache,$(HOME)/.cache))/kurabe
# Kept runs of published comparisons, in the order of their page.
ARTICLES := $(addprefix results/,board board-as-published board-arrivals rows rows-ruby primary-key counter counter-as-published dictionary dictionary-as-published)
PYTHON_ENV := $(CACHE)/python
# The version of cargo-mutants whose mutants .cargo/mutants.toml knows.
CARGO_MUTANTS := 27.1.0
# A load tool with planned starts, beside which ours are measured.
VEGETA := v12.13.0
export KURABE_PYTHON ?= $(PYTHON_ENV)/bin/python3

.PHONY: help run build install setup aa test test-rust test-python test-jvm lint lint-doc doc bench trust results articles mutants clean

help: ## this list
	@grep -E '^[a-z-]+:.*##' Makefile | sed 's/:.*## /\t/' | expand -t 14

# Without the drivers of servers, which take half of a build.
run: ## build (minutes the first time), then answer: which store is fastest for small rows on this machine?
	$(CARGO) run --release -p kurabe --no-default-features -- run quick

build: ## the programs: target/release/kurabe, and kurabe-servers beside it
	$(CARGO) build --release

# Where `make install` puts everything; DESTDIR before it, for packages.
PREFIX ?= /usr/local
install: build ## the programs, the man page and completions into PREFIX (/usr/local)
	install -D -m 755 -t '$(DESTDIR)$(PREFIX)/bin' target/release/kurabe target/release/kurabe-servers
	mkdir -p '$(DESTDIR)$(PREFIX)/share/man/man1' '$(DESTDIR)$(PREFIX)/share/bash-completion/completions' \
		'$(DESTDIR)$(PREFIX)/share/zsh/site-functions' '$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d'
	target/release/kurabe dev generate man >'$(DESTDIR)$(PREFIX)/share/man/man1/kurabe.1'
	target/release/kurabe dev generate bash >'$(DESTDIR)$(PREFIX)/share/bash-completion/completions/kurabe'
	target/release/kurabe dev generate zsh >'$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_kurabe'
	target/release/kurabe dev generate fish >'$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/kurabe.fish'

setup: ## build, then install what the tests need: stores, a browser, the Python client's library
	scripts/setup

test: setup lint test-rust test-python test-jvm ## everything, with every store run for real; none is skipped

test-rust: export KURABE_REQUIRE_STORES = 1
test-rust: export KURABE_REQUIRE_BROWSER = 1
# Tests wait for servers as much as they compute.
test-rust: export RUST_TEST_THREADS ?= 3
test-rust:
	$(CARGO) test --release --workspace

test-python: export KURABE_REQUIRE_STORES = 1
test-python:
	$(KURABE_PYTHON) clients/python/test_client.py
	python3 scripts/test_speed.py

test-jvm:
	mvn -q -B -Dstyle.color=never -f clients/jvm/pom.xml test

lint: export KURABE_REQUIRE_STORES = 1
lint: ## rustfmt, clippy and the checkers of the other languages, without warnings
	$(CARGO) fmt --all --check
	$(CARGO) clippy --release --workspace --all-targets -- -D warnings
	scripts/lint-clients

lint-doc: ## rustdoc without warnings: it compiles everything once more
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --release --workspace --no-deps --quiet

bench: export PATH := $(PATH):$(PYTHON_ENV)/bin
bench: ## speed against direct programs and load tools, into docs/SPEED.md; nothing else may run meanwhile
	[ -x '$(CACHE)/bin/vegeta' ] || GOBIN='$(CACHE)/bin' go install github.com/tsenart/vegeta/v12@$(VEGETA)
	scripts/speed

trust: ## long trials: Kurabe itself, the kill test ten times, every store with each of its durability settings, 100 power cuts
	$(CARGO) run --release -p kurabe -- dev selftest
	KURABE_REQUIRE_STORES=1 KURABE_CUTS=100 $(CARGO) test --release -p kurabe --test all power::
	KURABE_REQUIRE_STORES=1 KURABE_CONFORMANCE=all $(CARGO) test --release -p kurabe --test conformance
	KURABE_REQUIRE_STORES=1 $(CARGO) test --release -p kurabe --test trust -- --ignored --nocapture --test-threads 1

aa: build ## some minutes: one store twice in each of 100 runs; a lead is a false one, and at most 9 may have one
	scripts/aa

results: build ## three hours: the published comparisons, most with their traps, and the clients, kept in results, and the pages about them
	scripts/results
	$(MAKE) articles

articles: ## docs/ARTICLES.md, its HTML in target, and docs/CLIENTS.md, from the kept results
	for page in docs/ARTICLES.md target/articles.html; do \
		target/release/kurabe report --language en $(ARTICLES) --articles $$page; \
		target/release/kurabe report --language ja $(ARTICLES) --articles $${page%.*}.ja.$${page##*.}; \
	done
	target/release/kurabe report --language en results/clients --splice docs/CLIENTS.md

# By file, in a copy of the tree. Cases of property tests are few here: the faults are planted, not looked for.
mutants: export PROPTEST_CASES = 32
mutants: export CARGO_INCREMENTAL = 1
mutants: ## about an hour: faults planted in the files that judge and plan, which the tests must notice
	$(CARGO) mutants --version 2>/dev/null | grep -qF ' $(CARGO_MUTANTS)' \
		|| $(CARGO) install --locked --version $(CARGO_MUTANTS) cargo-mutants
	$(CARGO) mutants --jobs 1 --output target

clean: ## build results (runs and caches stay)
	$(CARGO) clean
