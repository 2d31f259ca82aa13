# Asks again while a slow warp may still read the slot.
/all have read result\[slot\]/d
