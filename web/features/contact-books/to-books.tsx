import { Link } from '@tanstack/react-router';
import { texts } from '../../texts/en.ts';
import { buttonClasses } from '../../ui/button.tsx';

/** Shown where a contact book is required and there is none. */
export function ToBooks() {
  return (
    <Link to="/contact-books" className={buttonClasses()}>
      {texts.contacts.books}
    </Link>
  );
}
