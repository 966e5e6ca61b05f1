interface HtmlPage {
  readonly title: string;
  /** HTML for the head, beside the title and the style. */
  readonly head?: string;
  /** HTML. */
  readonly body: string;
}

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;margin:0;color:#1b1f24;background:#fff}
main{max-width:70rem;margin:0 auto;padding:2rem 1rem}table{border-collapse:collapse;width:100%}
td{border-top:1px solid #d8dee4;padding:.4rem .6rem;vertical-align:top}td:first-child{width:4rem;font-weight:600}
code,pre{font:14px/1.5 ui-monospace,monospace}pre{background:#f6f8fa;padding:.8rem;overflow-x:auto}
.access{color:#57606a;white-space:nowrap}`;

/** Renders an HTML page that loads nothing but what its head names. */
export function htmlPage({ title, head = '', body }: HtmlPage): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title><style>${STYLE}</style>${head}</head>
<body>${body}</body></html>`;
}

/** Escapes a text for HTML, between tags and in attributes. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
