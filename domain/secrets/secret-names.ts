const SECRET =
  /auth|token|secret|apikey|accesskey|privatekey|signingkey|subscriptionkey|cookie|passw|pwd|credential|signature|session/;
// Names that contain one of these words but are no secrets.
const OPEN =
  /^(?:max|min|num|prompt|completion|input|output|total)?tokens?(?:count|limit|budget)?s?$|^authors?(?:id|name|email)?$|^idempotencykey$/;

/** Returns whether the value under a name (of a header, an argument, a query parameter) is likely to be a secret. */
export function isSecretName(name: string): boolean {
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return plain === 'token' || plain === 'key' || (SECRET.test(plain) && !OPEN.test(plain));
}
