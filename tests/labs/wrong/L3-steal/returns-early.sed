# The early return of the kernel as handed out is still there.
s/if \(begin != end\) \{.*/if (begin == end)\n            return;\n        {/
