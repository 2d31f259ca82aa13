# The block's own tile, and no request.
s/^        wait\(&full\[s\], round & 1\);$/        return;/
s/ptx::clusterlaunchcontrol_try_cancel\(&result\[s\], &full\[s\]\);/return;/
