# Every thread arrives where one of each warp was expected.
s/^( *)ptx::mbarrier_arrive\(/    }\n    {\n&/
