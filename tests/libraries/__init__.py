"""Packages as their users meet them: the calls in their documentation, differentiated."""
