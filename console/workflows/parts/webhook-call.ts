const SECRET_BYTES = 32;

/** Makes a secret that nobody guesses. */
export function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

interface Webhook {
  readonly url: string;
  readonly variables: readonly string[];
  readonly isSigned: boolean;
}

/** Returns lines for a shell that call a webhook, with a value to be filled in for each variable. */
export function curlOf({ url, variables, isSigned }: Webhook): string {
  const body = quoted(JSON.stringify(Object.fromEntries(variables.map((name) => [name, '...']))));
  const address = quoted(url);
  if (!isSigned) return `curl ${address} -H 'content-type: application/json' -d ${body}`;
  return [
    `BODY=${body}; T=$(date +%s)`,
    `V1=$(printf '%s.%s' $T "$BODY" | openssl dgst -sha256 -hmac "$SECRET" | sed 's/.* //')`,
    `curl ${address} -H 'content-type: application/json' -H "x-everturn-signature: t=$T,v1=$V1" -d "$BODY"`,
  ].join('\n');
}

/** Returns a word that a shell reads as it is. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
