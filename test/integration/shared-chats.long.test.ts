import './shared-chats.test.ts';
