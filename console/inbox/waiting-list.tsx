import { useNavigate, useSearch } from '@tanstack/react-router';
import { Check, Inbox, X } from 'lucide-react';
import { type Dispatch, type SetStateAction, useState } from 'react';
import { type Approval, useApproveRefusal } from '../approvals/index.ts';
import { useRefusal } from '../core/permissions.ts';
import { useShortcut } from '../core/shortcuts.ts';
import { useText } from '../core/text/text-context.tsx';
import { Button } from '../ui/controls/button.tsx';
import { Empty, Loaded } from '../ui/page/page.tsx';
import { SplitView } from '../ui/split-view/split-view.tsx';
import { ApprovalDetails, ApprovalRows } from './shown-approvals.tsx';
import { DecisionDialog } from './decision-dialog.tsx';
import classes from './inbox-page.module.css';
import { usePendingApprovals } from './queries.ts';
import { useInboxText } from './text.ts';

const LIVE_MS = 10_000;

/** What waits for a decision: a list, beside it what is asked, and keys for both. */
export function WaitingList() {
  const text = useInboxText();
  const approvals = usePendingApprovals(true, LIVE_MS);
  const [selection, setSelection] = useState<ReadonlySet<string>>(new Set());
  // It stays when the last approval is decided elsewhere: a note may be typed already.
  const [asked, setAsked] = useState<Asked>();
  const onDecided = (about: readonly Approval[], failed: readonly string[]) => {
    setSelection(new Set(failed));
    const left = about.filter((approval) => failed.includes(approval.id));
    setAsked((now) => (left.length === 0 ? undefined : now && { ...now, about: left }));
  };
  return (
    <>
      <Loaded query={approvals}>
        {({ items, total }) =>
          items.length === 0 ? (
            <Empty icon={<Inbox />} title={text.empty}>
              {text.emptyWhy}
            </Empty>
          ) : (
            <Waiting
              approvals={items}
              total={total}
              selection={selection}
              onSelectionChange={setSelection}
              onAsk={(question) => setAsked((now) => now ?? question)}
            />
          )
        }
      </Loaded>
      {asked !== undefined && (
        <DecisionDialog
          approve={asked.approve}
          about={asked.about}
          onClose={() => setAsked(undefined)}
          onDecided={(failed) => {
            onDecided(asked.about, failed);
            asked.onDecided();
          }}
        />
      )}
    </>
  );
}

/** What is asked, and about which approvals. */
interface Asked {
  readonly approve: boolean;
  readonly about: readonly Approval[];
  /** Shows the next one. */
  readonly onDecided: () => void;
}

interface WaitingProps {
  readonly approvals: readonly Approval[];
  readonly total: number;
  readonly selection: ReadonlySet<string>;
  readonly onSelectionChange: Dispatch<SetStateAction<ReadonlySet<string>>>;
  readonly onAsk: (asked: Asked) => void;
}

function Waiting({ approvals, total, selection, onSelectionChange: setSelection, onAsk }: WaitingProps) {
  const [text, common] = [useInboxText(), useText().common];
  const navigate = useNavigate({ from: '/o/$orgId/inbox' });
  const { id } = useSearch({ from: '/o/$orgId/inbox' });
  const refusal = useRefusal('approvals.manage');

  const open = approvals.find((approval) => approval.id === id);
  const current = open ?? approvals[0];
  const selected = approvals.filter((approval) => selection.has(approval.id));
  const wanted = selected.length > 0 || current === undefined ? selected : [current];
  const [refusalOfCurrent, refusalOfSelected] = [
    useApproveRefusal(current === undefined ? [] : [current]),
    useApproveRefusal(selected),
  ];
  const select = (next: string | undefined) =>
    void navigate({ search: next === undefined ? {} : { id: next }, replace: true });
  const toggle = (one: string) => setSelection((before) => toggled(before, one));
  const decidable = approvals.filter(({ question }) => question === null);
  const ask = (approve: boolean, about: readonly Approval[]) => {
    const approveRefusal = about === selected ? refusalOfSelected : refusalOfCurrent;
    if ((approve ? approveRefusal : refusal) !== undefined || about.length === 0) return;
    if (about.some(({ question }) => question !== null)) return;
    const showNext = () => open !== undefined && select(nextOf(approvals, open.id, about)?.id);
    onAsk({ approve, about, onDecided: () => void showNext() });
  };
  useShortcut('x', text.toggle, () => current?.question === null && toggle(current.id));
  useShortcut('y', text.approveKey, () => ask(true, wanted));
  useShortcut('n', text.denyKey, () => ask(false, wanted));

  return (
    <>
      <SplitView
        name="inbox"
        keys={approvals.map((approval) => approval.id)}
        selected={open?.id}
        shown={current?.id}
        onSelect={select}
        list={
          <>
            <Selection
              selected={selected.length}
              all={decidable.length}
              note={approvals.length < total ? common.of(approvals.length, total) : undefined}
              reason={refusal}
              approveReason={refusalOfSelected}
              onDecide={(approve) => ask(approve, selected)}
              onChange={(isAll) => setSelection(new Set(isAll ? decidable.map((one) => one.id) : []))}
            />
            <ApprovalRows approvals={approvals} current={current?.id} selection={selection} onToggle={toggle} />
          </>
        }
        detail={
          current !== undefined && (
            <ApprovalDetails
              key={current.id}
              approval={current}
              actions={
                current.question === null && (
                  <Actions
                    reason={refusal}
                    approveReason={refusalOfCurrent}
                    onDecide={(approve) => ask(approve, [current])}
                  />
                )
              }
            />
          )
        }
      />
    </>
  );
}

interface DecideProps {
  /** Why nothing can be decided. */
  readonly reason: string | undefined;
  /** Why nothing can be approved. */
  readonly approveReason: string | undefined;
  readonly onDecide: (approve: boolean) => void;
}

function Actions({ reason, approveReason, onDecide }: DecideProps) {
  const text = useInboxText();
  return (
    <>
      <Button
        icon={Check}
        variant="primary"
        reason={approveReason}
        aria-keyshortcuts="y"
        onClick={() => onDecide(true)}
      >
        {text.approve}
      </Button>
      <Button reason={reason} aria-keyshortcuts="n" onClick={() => onDecide(false)}>
        <X aria-hidden />
        {text.deny}
      </Button>
    </>
  );
}

interface SelectionProps extends DecideProps {
  readonly selected: number;
  readonly all: number;
  readonly note: string | undefined;
  readonly onChange: (isAll: boolean) => void;
}

function Selection({ selected, all, note, reason, approveReason, onDecide, onChange }: SelectionProps) {
  const text = useInboxText();
  return (
    <div className={`row ${classes.selection}`}>
      <label className={`line small ${classes.all}`}>
        <input
          type="checkbox"
          aria-label={text.selectAll}
          checked={all > 0 && selected === all}
          disabled={all === 0}
          ref={(box) => {
            if (box !== null) box.indeterminate = selected > 0 && selected < all;
          }}
          onChange={({ target }) => onChange(target.checked)}
        />
        {selected === 0 && text.selectAll}
      </label>
      {selected === 0 ? (
        <span className={classes.hint}>{note ?? text.keys}</span>
      ) : (
        <>
          <output className="flex-1">{text.selected(selected)}</output>
          <Actions reason={reason} approveReason={approveReason} onDecide={onDecide} />
        </>
      )}
    </div>
  );
}

function toggled(before: ReadonlySet<string>, one: string): ReadonlySet<string> {
  const after = new Set(before);
  if (!after.delete(one)) after.add(one);
  return after;
}

/** Returns what comes after those that are decided; the one before them when nothing does. */
function nextOf(all: readonly Approval[], open: string, decided: readonly Approval[]): Approval | undefined {
  const at = all.findIndex(({ id }) => id === open);
  const left = (approval: Approval) => !decided.some(({ id }) => id === approval.id);
  return all.slice(at).find(left) ?? all.slice(0, at).findLast(left);
}
