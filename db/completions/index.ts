export {
  cancelCall,
  type Completion,
  continueInChat,
  findChatOf,
  findFormerCompletion,
  isCallCancelled,
  moveToNewChat,
  startChatOf,
} from './completions.ts';
