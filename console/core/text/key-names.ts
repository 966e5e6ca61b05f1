/** Returns the keys of a shortcut as this machine's keyboard names them, in order: `Mod+k` is "Ctrl K" or "⌘ K". */
export function keyNames(keys: string): readonly string[] {
  return keys.split(' ').map((key) => (key.startsWith('Mod+') ? `${modifier()} ${key.slice(4).toUpperCase()}` : key));
}

function modifier(): string {
  return /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl';
}
