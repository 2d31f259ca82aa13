#!/bin/sh
# The lines of machine code for 10.0 that match: tutorial/errata/machine_code.sh PATTERN FILE.cu...
# Exit 3 where nvcc or nvdisasm cannot be had.
set -u
cd "$(dirname "$0")/../.." || exit 3
mkdir -p build/errata || exit 3
pattern=$1
shift
for file; do
    tests/compile/machine_code.sh "$file" 100a >build/errata/sass 2>build/errata/sass.log || exit 3
    echo "$(basename "$file"):"
    grep -E "$pattern" build/errata/sass | sed -E 's|^ *(/\*[0-9a-f]+\*/)?|    |; s| *;.*| ;|; s|^ +|    |'
done
