# Code that would run on the host before main(), if any host code of a submission ran; and no stealing.
s/^#include "common\/clc.cuh"/&\n#include <cstdio>\n#include <cstdlib>\nextern "C" __attribute__((constructor)) void before_all()\n{\n    printf("PASS\\n");\n    exit(0);\n}\n/
s/ptx::clusterlaunchcontrol_query_cancel_is_canceled\(result\)/true/
s/ptx::clusterlaunchcontrol_try_cancel\(.*/ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, \&bar);/
