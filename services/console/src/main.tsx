import './styles/tokens.css';
import './styles/base.css';
import './styles/print.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { readOnlyWhilePresent } from './api/presence.ts';
import { App } from './app.tsx';
import { applyTheme } from './settings/theme.ts';

applyTheme();
readOnlyWhilePresent();
// Back after a sign-out: the browser may show the page as it was left, with what was on it.
window.addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload();
});
const root = document.getElementById('root');
if (root)
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
