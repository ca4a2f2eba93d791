import {
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from 'react';
import './field.css';

type Described = { label: string; hint?: ReactNode; error?: string | undefined; isLabelUnseen?: boolean };
type Wiring = { id: string; 'aria-describedby': string | undefined; 'aria-invalid': true | undefined };

/** A label, what may help, what is wrong; all tied to the control that `children` makes. */
export function Field({
  label,
  hint,
  error,
  isLabelUnseen,
  children,
}: Described & { children: (wiring: Wiring) => ReactNode }) {
  const id = useId();
  const describedBy = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div className="field">
      <label htmlFor={id} className={isLabelUnseen ? 'unseen' : undefined}>
        {label}
      </label>
      {children({ id, 'aria-describedby': describedBy || undefined, 'aria-invalid': error ? true : undefined })}
      {hint && (
        <p id={`${id}-hint`} className="field-hint">
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} className="field-error">
          {error}
        </p>
      )}
    </div>
  );
}

export function TextField({
  label,
  hint,
  error,
  isLabelUnseen,
  value,
  onValue,
  ...rest
}: Described & { value: string; onValue: (value: string) => void } & Omit<
    InputHTMLAttributes<HTMLInputElement>,
    'value' | 'onChange'
  >) {
  return (
    <Field {...{ label, hint, error, isLabelUnseen }}>
      {(wiring) => (
        <input
          className="input"
          value={value}
          onChange={(event) => onValue(event.target.value)}
          {...wiring}
          {...rest}
        />
      )}
    </Field>
  );
}

export function TextArea({
  label,
  hint,
  error,
  isLabelUnseen,
  value,
  onValue,
  ...rest
}: Described & { value: string; onValue: (value: string) => void } & Omit<
    TextareaHTMLAttributes<HTMLTextAreaElement>,
    'value' | 'onChange'
  >) {
  return (
    <Field {...{ label, hint, error, isLabelUnseen }}>
      {(wiring) => (
        <textarea
          className="input"
          value={value}
          onChange={(event) => onValue(event.target.value)}
          {...wiring}
          {...rest}
        />
      )}
    </Field>
  );
}

/** `options` are values, or pairs of a value and what is shown for it. */
export function Select({
  label,
  hint,
  error,
  isLabelUnseen,
  value,
  onValue,
  options,
  ...rest
}: Described & {
  value: string;
  onValue: (value: string) => void;
  options: readonly (string | readonly [value: string, text: string])[];
} & Omit<SelectHTMLAttributes<HTMLSelectElement>, 'value' | 'onChange'>) {
  return (
    <Field {...{ label, hint, error, isLabelUnseen }}>
      {(wiring) => (
        <select className="input" value={value} onChange={(event) => onValue(event.target.value)} {...wiring} {...rest}>
          {options.map((option) => {
            const [key, text] = typeof option === 'string' ? [option, option] : option;
            return (
              <option key={key} value={key}>
                {text}
              </option>
            );
          })}
        </select>
      )}
    </Field>
  );
}

export function Checkbox({
  label,
  hint,
  isChecked,
  onChecked,
  disabled,
}: {
  label: ReactNode;
  hint?: ReactNode;
  isChecked: boolean;
  onChecked: (isChecked: boolean) => void;
  disabled?: boolean;
}) {
  const id = useId();
  return (
    <div className="field">
      <label className="checkbox" htmlFor={id}>
        <input
          id={id}
          type="checkbox"
          checked={isChecked}
          disabled={disabled}
          aria-describedby={hint ? `${id}-hint` : undefined}
          onChange={(event) => onChecked(event.target.checked)}
        />
        <span>{label}</span>
      </label>
      {hint && (
        <p id={`${id}-hint`} className="field-hint">
          {hint}
        </p>
      )}
    </div>
  );
}
