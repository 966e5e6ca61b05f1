/** `text` as one word of a POSIX shell, whatever it holds. */
export function quoteForSh(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

// PowerShell takes typographic quotes for the plain one, and each is written in a quoted text by doubling it.
const POWERSHELL_QUOTES = /['\u2018\u2019\u201A\u201B]/g;

/** `text` as one literal of PowerShell, whatever it holds. */
export function quoteForPowerShell(text: string): string {
  return `'${text.replaceAll(POWERSHELL_QUOTES, '$&$&')}'`;
}
