/**
 * Keeps a note of the call `$mark` in the repository: `note begin` says that it has begun before, `note <text>` writes
 * the note, which is whole or not there. What git has locked in a call that was ended is unlocked when nobody can be
 * working on it: by the repetition of that call, or after ten minutes.
 */
export const NOTES = `
folder=$(git rev-parse --absolute-git-dir) && mkdir -p "$folder/everturn" || exit
note=$folder/everturn/$mark
find "$folder/everturn" -type f -mtime +7 -delete
write_note() { printf '%s\\n' "$1" > "$note.new" && mv -- "$note.new" "$note"; }
if test -f "$note.done"; then cat "$note.done"; exit; fi
age='-mmin +10'
if test -f "$note"; then age=; fi
find "$folder" -maxdepth 1 -name '*.lock' $age -delete
find "$folder/refs" -name '*.lock' $age -delete
done_with() { printf '%s\\n' "$1" > "$note.new" && mv -- "$note.new" "$note.done" && rm -f "$note" && cat "$note.done"; }
`;
