import { createContext, useContext } from 'react';
import { type Text, en } from './en.ts';

/** The languages of the console. Each text says all of them: a language that is added here is asked for everywhere. */
type Language = 'en';

/** Texts in each language. The English ones say which there are, and what each is made of. */
type Texts<T> = Readonly<{ en: T } & Record<Exclude<Language, 'en'>, NoInfer<T>>>;

const LanguageContext = createContext<Language>('en');

/** Makes the hook that returns the texts of a capability or part. They are loaded with it, not with the first page. */
export function ownText<T>(languages: Texts<T>): () => T {
  return () => languages[useContext(LanguageContext)];
}

/** Returns the texts that all pages share, in the language of the page. */
export const useText = ownText<Text>({ en });

/** The name of the product, which is the same in each language. */
export const PRODUCT = 'Everturn';
