#!/usr/bin/env bats
# The routes through the book, in tutorial/en/00-index.md: their minutes are those of the chapters, and add up.

load root

setup() { cd "$ROOT" || return; }

# SLUG MINUTES of each row of a route.
rows() { # HEAD: what the last column of the route's table is called
    awk -F '|' -v head="$1" '
        index($0, head) { inside = 1; next }
        inside && !/^\|/ { exit }
        inside && match($3, /#[a-z-]*/) { print substr($3, RSTART + 1, RLENGTH - 1), $2 + 0 }' tutorial/en/00-index.md
}

minutes_of() { # SLUG
    file=$(grep -l "^# .*{#$1}" tutorial/en/*.md) && sed -n 's/^minutes: //p' "$file" | head -n 1
}

agree() { # HEAD LEAST MOST: minutes in all
    sum=0 count=0
    while read -r slug minutes; do
        sum=$((sum + minutes)) count=$((count + 1))
        [ "$slug" != setup-need ] || continue
        [ "$(minutes_of "$slug")" = "$minutes" ] || { echo "$slug: $minutes in the route, $(minutes_of "$slug") in its chapter" && false; }
    done < <(rows "$1")
    echo "$count chapters, $sum minutes"
    [ "$count" -gt 3 ] && [ "$sum" -ge "$2" ] && [ "$sum" -le "$3" ]
}

@test "the learner's route takes about three hours, as its chapters say" {
    agree "the question it answers" 165 195
}

@test "the engineer's route takes 45 minutes" {
    agree "what to take from it" 45 45
}
