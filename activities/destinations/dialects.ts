import { escapeHtml } from '../../domain/core/text.ts';
import type { Dialect } from './render-blocks.ts';

/** Slack's mrkdwn: without `<` nobody is mentioned, and no address hides behind another one. */
export const MRKDWN: Dialect = {
  escape: (text) => text.replaceAll(/[&<>]/g, escapeHtml),
  bold: (marked) => `*${marked}*`,
  italic: (marked) => `_${marked}_`,
  strike: (marked) => `~${marked}~`,
  code: (marked) => `\`${marked}\``,
  link: (marked, address) =>
    `<${address.replaceAll(/[<>|\s]/g, (character) => encodeURIComponent(character))}|${marked.replaceAll('|', '/')}>`,
  pre: (marked) => `\`\`\`\n${marked}\n\`\`\``,
  quote: (marked) => marked.replaceAll(/^/gm, '> '),
};

/** The HTML that Telegram takes. */
export const TELEGRAM_HTML: Dialect = {
  escape: escapeHtml,
  bold: (marked) => `<b>${marked}</b>`,
  italic: (marked) => `<i>${marked}</i>`,
  strike: (marked) => `<s>${marked}</s>`,
  code: (marked) => `<code>${marked}</code>`,
  link: (marked, address) => `<a href="${escapeHtml(address)}">${marked}</a>`,
  pre: (marked) => `<pre>${marked}</pre>`,
  quote: (marked) => `<blockquote>${marked}</blockquote>`,
};

/** The Markdown of Adaptive Cards, which knows neither headings nor tables nor code. */
export const CARD_TEXT: Dialect = {
  escape: (text) => text,
  bold: (marked) => `**${marked}**`,
  italic: (marked) => `_${marked}_`,
  strike: (marked) => marked,
  code: (marked) => marked,
  link: (marked, address) => `[${marked}](${address})`,
  pre: (marked) => marked.replaceAll('\n', '\n\n'),
  quote: (marked) => marked,
};
