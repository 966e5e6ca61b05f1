import { useState } from 'react';
import { areSingleKeysOn, keyNames, switchSingleKeys, useShortcuts } from '../core/shortcuts.ts';
import { useText } from '../core/text/text-context.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import classes from './shell.module.css';

/** Lists what keys do on the page that is shown, and switches single keys off for those whom they disturb. */
export function HelpSheet({ onClose }: { readonly onClose: () => void }) {
  const text = useText();
  const all = useShortcuts();
  const [isOn, setIsOn] = useState(areSingleKeysOn);
  return (
    <Dialog open onClose={onClose} title={text.nav.shortcuts}>
      <dl className={classes.list}>
        {all.map(({ keys, label }) => (
          <div key={keys} className={classes.row}>
            <dt>{label}</dt>
            <dd>
              {keyNames(keys).map((key, at) => (
                <kbd key={at}>{key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <label className={`line ${classes.switch}`}>
        <input
          type="checkbox"
          checked={isOn}
          onChange={({ target }) => {
            switchSingleKeys(target.checked);
            setIsOn(target.checked);
          }}
        />
        {text.nav.singleKeys}
      </label>
    </Dialog>
  );
}
