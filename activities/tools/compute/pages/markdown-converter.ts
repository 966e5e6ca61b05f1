import TurndownService from 'turndown';

/** Markup that the library leaves in a text: tags and character references, struck words, and list numbers. */
const MARKUP = /<(?=[a-z/!?])|&(?=#?\w+;)|(?<!\\)~~|(?<=^\d{1,9})\)(?= )/gi;

/** Returns a converter from HTML to Markdown, in which the text of a page stays text. */
export function markdownConverter(): TurndownService {
  const converter = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-' });
  const escape = converter.escape.bind(converter);
  converter.escape = (text) => escape(text).replaceAll(MARKUP, '\\$&');
  return converter;
}
