export {
  type Completion,
  continueInChat,
  findChatOf,
  findCompletionOfCall,
  findFormerCompletion,
  moveToNewChat,
  startChatOf,
} from './completions.ts';
