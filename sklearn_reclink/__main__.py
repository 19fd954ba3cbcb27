"""``python -m sklearn_reclink``: the command ``reclink``."""

from sklearn_reclink.cli import main

if __name__ == "__main__":
    main()
