# The first refusal ends the block, whatever is under way.
s/^( *)continue;/\1break;/
