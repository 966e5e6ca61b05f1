import TurndownService from 'turndown';

/** Beginnings of tags and of character references, which Markdown would take out of a text. */
const MARKUP = /<(?=[a-z/!?])|&(?=#?\w+;)/gi;

/** Returns a converter from HTML to Markdown, in which the text of a page stays text. */
export function markdownConverter(): TurndownService {
  const converter = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-' });
  const escape = converter.escape.bind(converter);
  converter.escape = (text) => escape(text).replaceAll(MARKUP, '\\$&');
  return converter;
}
