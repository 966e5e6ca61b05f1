import { createContext, useContext } from 'react';
import { en, type Text } from './en.ts';

/** The languages of the console. */
type Language = 'en';

const LANGUAGES: Readonly<Record<Language, Text>> = { en };

const LanguageContext = createContext<Language>('en');

/** Returns the texts that all pages share, in the language of the page. */
export function useText(): Text {
  return LANGUAGES[useContext(LanguageContext)];
}

/**
 * Makes the hook that returns the texts of one capability. They are loaded with its pages, not with the first one.
 */
export function ownText<T>(languages: Readonly<Record<Language, T>>): () => T {
  return () => languages[useContext(LanguageContext)];
}
