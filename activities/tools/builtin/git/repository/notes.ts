/** Says where the repository keeps the note of the call `$mark`, and how it is written: it is whole or not there. */
export const NOTE = `
folder=$(git rev-parse --absolute-git-dir) || exit
note=$folder/everturn/$mark
write_note() { printf '%s\\n' "$1" > "$note.new" && mv -- "$note.new" "$note"; }
done_with() { printf '%s\\n' "$1" > "$note.new" && mv -- "$note.new" "$note.done" && rm -f "$note" && cat "$note.done"; }
`;

/**
 * Begins the call `$mark`, or ends the script with what the call has done before. What git has locked in a call that
 * was ended is unlocked when nobody can be working on it: by the repetition of that call, or after ten minutes.
 */
export const NOTES = `${NOTE}
mkdir -p "$folder/everturn" || exit
find "$folder/everturn" -type f -mtime +7 -delete
if test -f "$note.done"; then cat "$note.done"; exit; fi
age='-mmin +10'
if test -f "$note"; then age=; fi
find "$folder" -maxdepth 1 -name '*.lock' $age -delete
find "$folder/refs" -name '*.lock' $age -delete
`;
