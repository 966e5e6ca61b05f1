/** The providers whose models answer through the vendor's own command-line program. */
export const CLI_PROVIDERS = ['claude-code', 'codex', 'gemini-cli'] as const;

export type CliProvider = (typeof CLI_PROVIDERS)[number];

/** Returns whether accounts of a provider type answer through a command-line program. */
export function isCliProvider(providerType: string): providerType is CliProvider {
  return (CLI_PROVIDERS as readonly string[]).includes(providerType);
}
