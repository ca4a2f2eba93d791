import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import './design/tokens.css';
import './design/base.css';
import { createQueryClient } from './api/hooks.ts';
import { applyStoredTheme } from './design/theme.ts';
import { ToastProvider } from './design/toast.tsx';
import { SessionGate } from './identity/session.tsx';
import { Layout } from './layout/layout.tsx';
import { Routes } from './routes.tsx';

applyStoredTheme();

const root = document.getElementById('root');
if (!root) throw new Error('The document has no place for the page.');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={createQueryClient()}>
      <ToastProvider>
        <SessionGate>
          <Layout>
            <Routes />
          </Layout>
        </SessionGate>
      </ToastProvider>
    </QueryClientProvider>
  </StrictMode>,
);
