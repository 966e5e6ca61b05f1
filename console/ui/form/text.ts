import { ownText } from '../../core/text/text-context.tsx';

/** Returns what a form that edits a record says, in the language of the page. */
export const useFormText = ownText({
  en: {
    save: 'Save',
    unsaved: 'Unsaved changes',
    nothingToSave: 'Nothing was changed.',
    discard: 'Discard changes',
    changedMeanwhile: 'Somebody else has changed this meanwhile.',
    changedMeanwhileWhy: 'Show what is stored to see it beside your changes, or save yours in its place.',
    showStored: 'Show what is stored',
    overwrite: 'Save mine in its place',
    leaveTitle: 'Leave without saving?',
    leaveWhy: 'Your changes are kept in this browser as a draft. You can come back to them.',
    leaveWithSecret: 'Your changes are kept in this browser as a draft, but no secrets that you have entered.',
    leaveWithInvalid:
      'Your changes are kept in this browser as a draft, but no text that is not valid yet, and no secrets.',
    stay: 'Stay',
    leave: 'Leave, keep the draft',
    leaveAndDiscard: 'Discard and leave',
  },
});
