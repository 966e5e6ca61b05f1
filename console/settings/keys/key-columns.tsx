import { timeFromNow } from '../../core/text/times.ts';
import type { Column } from '../../ui/page/table.tsx';
import { showInvisible } from '../../ui/visible.ts';
import classes from '../settings-page.module.css';
import type { SettingsText } from '../text.ts';
import type { ApiKey } from './queries.ts';

/** The columns that all lists of keys begin with. Of its value only the last four characters are known. */
export function keyColumns<K extends ApiKey>(text: SettingsText): readonly Column<K>[] {
  return [
    {
      key: 'name',
      title: text.keys.name,
      cell: ({ name, hint }) => (
        <span className={classes.two}>
          {showInvisible(name)}
          {hint !== null && (
            <span className={classes.soft}>
              {text.keys.ends} <code>{hint}</code>
            </span>
          )}
        </span>
      ),
    },
    {
      key: 'made',
      title: text.keys.made,
      cell: ({ created_at: at, made_by: by }) => (
        <span className={classes.two}>
          {timeFromNow(at)}
          <span className={classes.soft}>{text.keys.madeBy[by]}</span>
        </span>
      ),
    },
    {
      key: 'used',
      title: text.lastUsed,
      cell: ({ last_used_at: at }) => (at === null ? text.never : timeFromNow(at)),
    },
    {
      key: 'expires',
      title: text.expires,
      cell: ({ expires_at: at }) => (at === null ? text.never : timeFromNow(at)),
    },
  ];
}
