const plural = new Intl.PluralRules('en');
const number = new Intl.NumberFormat('en');
const money = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', maximumFractionDigits: 4 });

/** Returns a number as it is read: "12,345". */
export function formatNumber(n: number): string {
  return number.format(n);
}

/** Returns a number with the noun that it counts: "1 tool", "2 tools". */
export function count(n: number, one: string, many: string): string {
  return `${number.format(n)} ${plural.select(n) === 'one' ? one : many}`;
}

/** Returns an amount of US dollars: "$0.0123". */
export function formatDollars(amount: number): string {
  return money.format(amount);
}

/** Returns a duration in seconds as it is read: "17 ms", "0.4 s", "2 min 5 s", "3 h 20 min". */
export function formatDuration(exact: number): string {
  if (exact > 0 && exact < 0.095) return `${Math.round(exact * 1_000)} ms`;
  if (exact < 9.95) return `${exact.toFixed(1)} s`;
  const seconds = Math.round(exact);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const SIZES = ['B', 'KB', 'MB', 'GB', 'TB'] as const;

/** Returns a number of bytes as it is read: "812 B", "1.4 MB". */
export function formatBytes(bytes: number): string {
  const power = bytes < 1_000 ? 0 : Math.min(SIZES.length - 1, Math.floor(Math.log10(bytes) / 3));
  const shown = bytes / 1_000 ** power;
  return `${power === 0 || shown >= 99.95 ? Math.round(shown) : shown.toFixed(1)} ${SIZES[power] ?? ''}`;
}
