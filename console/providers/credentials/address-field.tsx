import type { ReactNode } from 'react';
import { Field } from '../../ui/controls/field.tsx';
import type { CatalogEntry } from '../queries.ts';
import { useProvidersText } from '../text.ts';

interface AddressFieldProps {
  readonly entry: CatalogEntry | undefined;
  readonly value: string;
  readonly onValueChange: (value: string) => void;
  /** Further words below it. */
  readonly hint?: string;
}

const PLACE = /\{[^{}/]{1,100}\}/g;

/** Asks where a provider is called: at an address of one's own, or the provider's own one when it stays empty. */
export function AddressField({ entry, value, onValueChange, hint }: AddressFieldProps): ReactNode {
  const text = useProvidersText();
  const own = entry?.base_url ?? null;
  const isRequired = entry?.requires_base_url === true;
  const places = [...new Set(value.match(PLACE))];
  const hints = [
    places.length > 0 ? text.fillBaseUrl(places.join(', ')) : undefined,
    own !== null && !isRequired ? text.ownBaseUrl(own) : undefined,
    hint,
  ];
  return (
    <Field
      label={text.baseUrl}
      name="base_url"
      // An address with places that are not filled in yet is none to the browser; the server says which are left.
      inputMode="url"
      autoComplete="off"
      spellCheck={false}
      placeholder={own ?? 'https://'}
      hint={hints.filter((each) => each !== undefined).join(' ') || undefined}
      required={isRequired}
      value={value}
      onValueChange={onValueChange}
    />
  );
}
