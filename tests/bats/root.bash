# ROOT, for a bats file that is run by hand: bats tests/bats/NAME.bats
export ROOT=${ROOT:-$(cd "$BATS_TEST_DIRNAME/../.." && pwd)}
