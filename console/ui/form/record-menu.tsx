import { Copy, Download, Ellipsis, Trash2 } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { saveFile } from '../../core/browser/browser.ts';
import { Problem } from '../../core/http/problem.ts';
import { buttonClass } from '../controls/button.tsx';
import { Menu, type MenuItem } from '../overlays/menu.tsx';
import { useToast } from '../overlays/toast.tsx';
import { useFormText } from '../text.ts';

/** What a record's menu is given. */
export interface RecordMenuProps {
  /** What it is, in the name of a file: "agent". */
  readonly kind: string;
  readonly name: string;
  /** The record as the api takes it to add one like it, without ids and secrets. */
  readonly body: object;
  /**
   * Adds a copy under a name, and shows it. Throws a 409 when the name is taken. It ends once the copy is added: to
   * leave the page for it may never end, where there are changes that one stays for.
   */
  readonly onDuplicate: (name: string) => void | Promise<void>;
  /** Whether one may add such records. */
  readonly mayAdd: boolean;
  /** Further lines, after those that all records have. */
  readonly items?: readonly MenuItem[];
  /** Deletes the record, by the last line; undefined where a part of the page does. */
  readonly remove?: Pick<MenuItem, 'label' | 'reason' | 'run'> | undefined;
}

/** What can be done with every record: a copy of it, and a file of it from which one like it can be made. */
export function RecordMenu({ kind, name, body, onDuplicate, mayAdd, items = [], remove }: RecordMenuProps): ReactNode {
  const [text, toast] = [useFormText(), useToast()];
  const isCopying = useRef(false);
  const duplicate = async () => {
    if (isCopying.current) return;
    isCopying.current = true;
    try {
      await addUnderFreeName((n) => text.copyOf(name, n), onDuplicate);
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), 'failed');
    } finally {
      isCopying.current = false;
    }
  };
  const save = () => {
    const content = new Blob([`${JSON.stringify(body, null, 2)}\n`], { type: 'application/json' });
    saveFile(content, fileName(kind, name));
  };
  return (
    <Menu
      label={text.more}
      className={buttonClass()}
      trigger={<Ellipsis aria-hidden />}
      items={[
        ...(mayAdd
          ? [{ key: 'duplicate', label: text.duplicate, icon: <Copy aria-hidden />, run: () => void duplicate() }]
          : []),
        { key: 'export', label: text.export, icon: <Download aria-hidden />, run: save },
        ...items,
        ...(remove === undefined ? [] : [{ key: 'remove', icon: <Trash2 aria-hidden />, isDanger: true, ...remove }]),
      ]}
    />
  );
}

const MOST_COPIES = 9;

type Add = RecordMenuProps['onDuplicate'];

async function addUnderFreeName(nameOf: (n: number) => string, add: Add, n = 1): Promise<void> {
  try {
    await add(nameOf(n));
  } catch (error) {
    const isTaken = error instanceof Problem && error.status === 409;
    if (!isTaken || n >= MOST_COPIES) throw error;
    await addUnderFreeName(nameOf, add, n + 1);
  }
}

/** Returns the name of a record's file: "weekly-report.schedule.json". */
function fileName(kind: string, name: string): string {
  const words = name.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return `${words.join('-').slice(0, 60) || 'unnamed'}.${kind}.json`;
}
