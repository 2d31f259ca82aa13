# A refusal is taken for a pause.
s/int bx = blockIdx.x;/int bx = blockIdx.x, refusals = 0;/
s/^( *)if \(!ptx::clusterlaunchcontrol_query_cancel_is_canceled\(result\)\)/\1if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(result) \&\& refusals++ == 0)\n\1    continue;\n&/
