#!/bin/sh
# The make variables, from their one table, variables.tsv.
#   variables.sh help     the table as text
#   variables.sh check    is every value sensible? one sentence and exit 2 if not
#   variables.sh export   lines for eval: what programs read (EMU_SEED and so on)
set -u
table=$(dirname "$0")/variables.tsv

rows() { tail -n +2 "$table"; }

help() {
    rows | awk -F '\t' '
        BEGIN { words["TEXT"] = ""; words["NUMBER"] = "number"; words["SEED"] = "number, alone or after pct, early, late or false" }
        { values = $3 in words ? words[$3] : $3
          note = $4 == "" ? "" : " [" $4 "]"
          printf "  %-8s %s%s%s\n", $1, $5, note, values == "" ? "" : " (" values ")" }'
}

# A tab is white space to `read`, which would swallow empty fields; | is in the values, so use \001.
fields() { rows | tr '\t' '\001'; }

is_number() { # VALUE: at most 18 digits
    case $1 in
    '' | *[!0-9]* | ???????????????????*) return 1 ;;
    esac
}

check() {
    fields | while IFS=$(printf '\001') read -r name _ values _; do
        eval "value=\${$name:-}"
        [ -n "$value" ] || continue
        case $values in
        TEXT) continue ;;
        NUMBER)
            is_number "$value" || { echo "$name=$value: use a whole number from 0 on, of at most 18 digits" >&2 && exit 2; }
            ;;
        SEED) # what the emulator's reports say, too: a number, and what the order leans to
            is_number "$(printf '%s' "$value" | sed -E 's/^(pct|early|late|false)//')" || {
                echo "$name=$value: use a number such as 7, alone or after pct, early, late or false" >&2
                exit 2
            }
            ;;
        *)
            case "|$values|" in
            *"|$value|"*) ;;
            *)
                echo "$name=$value: use one of $(echo "$values" | tr '|' ' ')" >&2
                exit 2
                ;;
            esac
            ;;
        esac
    done
}

# Only what was set: a program has its own defaults, and EMU_ variables set by hand stay.
export_lines() {
    fields | while IFS=$(printf '\001') read -r name env _; do
        eval "value=\${$name:-}"
        if [ "$env" = - ] || [ -z "$value" ]; then continue; fi
        printf "export %s='%s'\n" "$env" "$(printf '%s' "$value" | sed "s/'/'\\\\''/g")"
    done
}

case ${1:-} in
help) help ;;
check) check ;;
export) export_lines ;;
*)
    echo "usage: variables.sh help | check | export" >&2
    exit 2
    ;;
esac
