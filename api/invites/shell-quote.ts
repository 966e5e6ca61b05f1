/** Quotes `text` as one word of a POSIX shell, whatever it holds. */
export function quoteForSh(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

// PowerShell treats typographic quotes like the plain one, and doubles each inside a quoted text.
const POWERSHELL_QUOTES = /['\u2018\u2019\u201A\u201B]/g;

/** Quotes `text` as one literal of PowerShell, whatever it holds. */
export function quoteForPowerShell(text: string): string {
  return `'${text.replaceAll(POWERSHELL_QUOTES, '$&$&')}'`;
}
