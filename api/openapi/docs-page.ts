import { accessName, type Route } from '../core/define-route.ts';

/** A page that lists the routes, made from the same declarations that serve them. Needs no script and no other host. */
export function docsPage(routes: readonly Route[]): string {
  const tags = Map.groupBy(routes, ({ tag }) => tag);
  const sections = [...tags].map(([tag, ofTag]) => `<h2>${escape(tag)}</h2><table>${ofTag.map(row).join('')}</table>`);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Everturn API</title><style>${STYLE}</style></head>
<body><main><h1>Everturn API</h1>
<p>Machine-readable: <a href="/openapi.json">/openapi.json</a> (OpenAPI 3.1). Send <code>Authorization: Bearer</code> with an
access token or an API key; routes marked <em>public</em> need none. Answers to a chat also come over the WebSocket
<code>/ws/chat/{chat_id}?token=…</code>.</p>
${sections.join('\n')}
</main></body></html>`;
}

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;margin:0;color:#1b1f24;background:#fff}
main{max-width:70rem;margin:0 auto;padding:2rem 1rem}table{border-collapse:collapse;width:100%}
td{border-top:1px solid #d8dee4;padding:.4rem .6rem;vertical-align:top}td:first-child{width:4rem;font-weight:600}
code{font:14px ui-monospace,monospace}.access{color:#57606a;white-space:nowrap}
@media(prefers-color-scheme:dark){body{color:#e6edf3;background:#0d1117}td{border-color:#30363d}a{color:#58a6ff}.access{color:#9198a1}}`;

function row({ method, path, summary, access }: Route): string {
  return `<tr><td>${method.toUpperCase()}</td><td><code>${escape(path)}</code></td><td>${escape(summary)}</td><td class="access">${escape(accessName(access))}</td></tr>`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
