import type { ReactElement } from 'react';

/** Drawn on a grid of 16, as strokes of the text's own colour. */
const shapes = {
  overview: <path d="M2 2.5h5v5H2zM9 2.5h5v3H9zM9 8h5v5.5H9zM2 10h5v3.5H2z" />,
  graph: (
    <>
      <circle cx="8" cy="3.2" r="1.7" />
      <circle cx="3.4" cy="12.4" r="1.7" />
      <circle cx="12.6" cy="12.4" r="1.7" />
      <path d="M7.2 4.8 4.2 10.8M8.8 4.8l3 6M5.2 12.4h5.6" />
    </>
  ),
  quality: <path d="M1.5 9.5h3l2-6 3 9 2-5h3" />,
  workflow: (
    <>
      <rect x="1.5" y="2.5" width="5" height="4" rx="1" />
      <rect x="9.5" y="9.5" width="5" height="4" rx="1" />
      <path d="M4 6.5v3a2 2 0 0 0 2 2h3.5" />
    </>
  ),
  platform: <path d="M2 3h12v4H2zM2 9h12v4H2zM4.5 5h.01M4.5 11h.01" />,
  admin: <path d="M8 1.5 13.5 4v4c0 3.2-2.3 5.6-5.5 6.5C4.8 13.6 2.5 11.2 2.5 8V4z" />,
  bell: (
    <path d="M8 1.8a4.2 4.2 0 0 1 4.2 4.2c0 3.4 1.3 4.6 1.3 4.6h-11S3.8 9.4 3.8 6A4.2 4.2 0 0 1 8 1.8zM6.6 13.2a1.5 1.5 0 0 0 2.8 0" />
  ),
  sun: (
    <>
      <circle cx="8" cy="8" r="2.8" />
      <path d="M8 1.2v1.6M8 13.2v1.6M1.2 8h1.6M13.2 8h1.6M3.2 3.2l1.1 1.1M11.7 11.7l1.1 1.1M3.2 12.8l1.1-1.1M11.7 4.3l1.1-1.1" />
    </>
  ),
  moon: <path d="M13.5 9.6A5.8 5.8 0 0 1 6.4 2.5a5.8 5.8 0 1 0 7.1 7.1z" />,
  screen: <path d="M1.8 2.5h12.4v8.5H1.8zM5.5 13.8h5M8 11v2.8" />,
  user: (
    <>
      <circle cx="8" cy="5" r="2.8" />
      <path d="M2.8 14a5.2 5.2 0 0 1 10.4 0" />
    </>
  ),
  menu: <path d="M2 4h12M2 8h12M2 12h12" />,
  close: <path d="m3.5 3.5 9 9M12.5 3.5l-9 9" />,
  chevronDown: <path d="m4 6 4 4 4-4" />,
  chevronRight: <path d="m6 4 4 4-4 4" />,
  chevronLeft: <path d="m10 4-4 4 4 4" />,
  plus: <path d="M8 3v10M3 8h10" />,
  minus: <path d="M3 8h10" />,
  search: (
    <>
      <circle cx="7" cy="7" r="4.4" />
      <path d="m10.4 10.4 3.6 3.6" />
    </>
  ),
  check: <path d="m2.8 8.6 3.4 3.4 7-7.6" />,
  warning: <path d="M8 2 14.6 13.6H1.4zM8 6.6v3.2M8 11.8h.01" />,
  copy: <path d="M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3" />,
  trash: <path d="M2.5 4h11M6 4V2.2h4V4M4 4l.7 9.8h6.6L12 4M6.6 6.6v4.6M9.4 6.6v4.6" />,
  edit: <path d="m2.5 13.5.7-3 7.6-7.6 2.3 2.3-7.6 7.6zM9.4 4.3l2.3 2.3" />,
  play: <path d="M4.5 2.8v10.4L13 8z" />,
  refresh: <path d="M13.5 8a5.5 5.5 0 1 1-1.7-4M13.5 1.8v3h-3" />,
  external: <path d="M6.5 3H3v10h10V9.5M9.5 2.5h4v4M13.2 2.8 7.5 8.5" />,
  download: <path d="M8 2v8M4.8 7 8 10.2 11.2 7M2.5 13.5h11" />,
  filter: <path d="M2 3h12L9.6 8.4v4.8L6.4 11.6V8.4z" />,
  send: <path d="M14 2 7.2 8.8M14 2 9.6 14 7.2 8.8 2 6.4z" />,
  clock: (
    <>
      <circle cx="8" cy="8" r="6" />
      <path d="M8 4.5V8l2.4 1.6" />
    </>
  ),
  key: (
    <>
      <circle cx="5" cy="11" r="2.8" />
      <path d="m7 9 6.2-6.2M10.6 5.4l2 2" />
    </>
  ),
  signOut: <path d="M6.5 2.5H3v11h3.5M10.5 5 13.5 8l-3 3M13.2 8H6.5" />,
} satisfies Record<string, ReactElement>;

export type IconName = keyof typeof shapes;

/** A picture beside words: it says nothing to a screen reader. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      className="icon"
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      {shapes[name]}
    </svg>
  );
}
