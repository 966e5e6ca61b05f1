interface Installation {
  /** The address of this instance, without a trailing slash. */
  readonly publicUrl: string;
  readonly token: string;
}

/**
 * Returns a line for a POSIX shell that signs the machine in: it redeems the invite and stores the credentials in
 * `~/.everturn/credentials.json`, readable by its user only. The token appears in no list of processes.
 */
export function installLineForSh({ publicUrl, token }: Installation): string {
  const safe = (command: string) => `"$(${command} | tr -cd 'A-Za-z0-9._-')"`;
  const body = `printf '{"token":"%s","device_name":"%s","platform":"%s"}' ${quoteForSh(token)} ${safe('uname -n')} ${safe('uname -s')}`;
  const send = `curl -fsS -H 'Content-Type: application/json' --data-binary @- -o "$HOME/.everturn/credentials.json" ${quoteForSh(redeemUrl(publicUrl))}`;
  return `${body} | (umask 077 && mkdir -p "$HOME/.everturn" && ${send}) && chmod 600 "$HOME/.everturn/credentials.json"`;
}

/** Returns the same line for PowerShell. */
export function installLineForPowerShell({ publicUrl, token }: Installation): string {
  return [
    `$b = @{ token = ${quoteForPowerShell(token)}; device_name = [Environment]::MachineName; platform = 'Windows' } | ConvertTo-Json`,
    "$d = Join-Path $HOME '.everturn'",
    'New-Item -ItemType Directory -Force -Path $d | Out-Null',
    `$r = Invoke-RestMethod -Method Post -Uri ${quoteForPowerShell(redeemUrl(publicUrl))} -ContentType 'application/json' -Body $b`,
    "$r | ConvertTo-Json | Set-Content -Encoding UTF8 -Path (Join-Path $d 'credentials.json')",
  ].join('; ');
}

function redeemUrl(publicUrl: string): string {
  return `${publicUrl}/api/auth/cli/redeem`;
}

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
