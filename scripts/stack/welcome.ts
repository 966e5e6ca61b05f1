/** The block that tells, once everything runs, where things are and how to try them. */
export function welcome(options: { url: string; home: string; seconds: number }): string {
  const { url, home, seconds } = options;
  return `
Everturn is ready (${seconds.toFixed(1)} s).

  Address    ${url}
  API        ${url}/docs
  Data       ${home}
  Logs       ${home}/logs
  Stop       Ctrl-C (nothing is lost)

To try it, paste this into another terminal:

  API=${url}/api
  json() { node -pe "JSON.parse(require('fs').readFileSync(0))$1"; }
  TOKEN=$(curl -s $API/auth/register -H 'content-type: application/json' \\
    -d '{"email":"me-'$(date +%s)'@example.com","password":"correct horse battery"}' | json .access_token)
  AGENT=$(curl -s $API/agents -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' \\
    -d '{"name":"Helper"}' | json .id)
  CHAT=$(curl -s $API/chats -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' \\
    -d '{"agent_id":"'$AGENT'"}' | json .id)
  curl -N $API/chats/$CHAT/stream -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' \\
    -d '{"content":"Hello! What can you do?"}'
`;
}
