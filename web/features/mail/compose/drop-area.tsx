import { useState, type HTMLAttributes, type Ref } from 'react';
import { classes } from '../../../ui/classes.ts';

interface DropAreaProps extends HTMLAttributes<HTMLDivElement> {
  ref?: Ref<HTMLDivElement>;
  /** Shown while files are dragged over it. */
  note: string;
  onFiles(files: File[]): void;
}

/** Accepts files that are dropped anywhere in it. */
export function DropArea({ note, onFiles, children, className, ...rest }: DropAreaProps) {
  const [isOver, setIsOver] = useState(false);
  return (
    <div
      {...rest}
      className={classes('relative', className)}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        setIsOver(false);
        if (event.dataTransfer.files.length === 0) return;
        event.preventDefault();
        onFiles([...event.dataTransfer.files]);
      }}
    >
      {children}
      <div
        aria-hidden
        className={classes(
          'pointer-events-none absolute inset-0 z-30 items-center justify-center rounded-xl border-2 border-dashed border-brass bg-raised/90 font-medium',
          isOver ? 'flex' : 'hidden',
        )}
      >
        {note}
      </div>
    </div>
  );
}
