import './tokens.css';
import './ui/base.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { createQueryClient } from './core/http/query-client.ts';
import { Session } from './core/session/session.ts';

const container = document.querySelector('#root');
if (container === null) throw new Error('index.html has no #root');
createRoot(container).render(
  <StrictMode>
    <App session={new Session()} cache={createQueryClient()} />
  </StrictMode>,
);
