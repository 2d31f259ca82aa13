# Goes on asking for the slot that was granted.
s/if \(!refused\) \{/if (turn < 1000) {/
