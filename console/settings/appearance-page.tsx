import { useState } from 'react';
import { areSingleKeysOn, switchSingleKeys } from '../core/shortcuts.ts';
import { useText } from '../core/text/text-context.tsx';
import { chooseTheme, THEMES, useTheme } from '../core/theme.ts';
import { SwitchField } from '../ui/fields/fields.tsx';
import { Section } from '../ui/page/page.tsx';
import classes from './settings-page.module.css';
import { useSettingsText } from './text.ts';

/** How the console looks, and whether single keys do something, in this browser. */
export function AppearancePage() {
  const { appearance: text } = useSettingsText();
  const { nav } = useText();
  const theme = useTheme();
  const [hasKeys, setHasKeys] = useState(areSingleKeysOn);
  return (
    <>
      <Section title={text.title} lead={text.lead}>
        <fieldset className="wrap bare">
          <legend className="hidden">{text.title}</legend>
          {THEMES.map((key) => (
            <label key={key} className={classes.theme}>
              <input type="radio" name="theme" checked={key === theme} onChange={() => chooseTheme(key)} />
              {nav.themes[key]}
            </label>
          ))}
        </fieldset>
      </Section>
      <Section title={text.keysTitle} lead={text.keysLead}>
        <SwitchField
          label={text.singleKeys}
          name="single-keys"
          value={hasKeys}
          onValueChange={(on) => {
            switchSingleKeys(on);
            setHasKeys(on);
          }}
        />
      </Section>
    </>
  );
}
