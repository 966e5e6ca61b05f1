import { htmlPage } from './html-page.ts';

/** Renders the first page of a server that has no console: why, and what there is instead. */
export function missingConsolePage(): string {
  return htmlPage({
    title: 'Everturn',
    body: `<main><h1>Everturn runs, without its console</h1>
<p>The pages for people have not been built. <code>npm start</code> builds them; if that failed, it says so, and
<code>logs/console.log</code> in the data folder says why. An api that is started by itself takes the folder of a built console
from <code>CONSOLE_DIR</code>.</p>
<p>Everything can be done over HTTP: <a href="/docs">/docs</a>.</p></main>`,
  });
}
