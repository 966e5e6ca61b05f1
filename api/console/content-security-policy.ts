/**
 * Returns the policy of the console's page. Nothing is loaded from elsewhere, no text becomes a script or a style, and
 * no other page shows this one. Some browsers do not count WebSockets to `'self'`, so their address is named.
 */
export function contentSecurityPolicy(publicUrl: string): string {
  const { host, protocol } = new URL(publicUrl);
  const directives = {
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    'img-src': "'self' blob: data:",
    'font-src': "'self'",
    'connect-src': `'self' ${protocol === 'https:' ? 'wss' : 'ws'}://${host}`,
    'manifest-src': "'self'",
    'base-uri': "'none'",
    'form-action': "'self'",
    'frame-ancestors': "'none'",
    'require-trusted-types-for': "'script'",
    'trusted-types': "'none'",
  };
  return Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources}`)
    .join('; ');
}
